// Routes everything below `/oidc/`.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isDatabaseOutage } from '@slipway/foundation/database-outage.ts';
import { logFailure } from '@slipway/foundation/log-failure.ts';
import type { HttpMount } from '@slipway/foundation/ports/mount.ts';
import { replyAsset } from './assets.ts';
import { readForm } from './form-body.ts';
import { messagePage } from './message-page.ts';
import { MOUNT_PATH } from './provider.ts';
import { redirect, replyNotFound, replyPage, replyWrongOrigin, setSafetyHeaders } from './reply.ts';
import type { Exchange, SignInContext } from './sign-in-context.ts';
import { answerSignIn } from './sign-in.ts';
import { answerUserInfo, type UserInfoOptions } from './user-info.ts';

const ASSETS = '/oidc/assets/';
const USER_INFO = `${MOUNT_PATH}/me`;
const LOGIN = new RegExp(`^${MOUNT_PATH}/login/([\\w-]{1,64})$`);
const BROKEN = { title: 'Slipway could not answer', text: 'Its log says why. Nothing was changed.', link: 'Start again' };
const AWAY = { ...BROKEN, text: 'Its database does not answer. Nothing was changed. Try again in a moment.' };

export class IdentityRouter {
  readonly mount: HttpMount = { prefixes: ['/oidc/'], handle: (request, response) => void this.#handle(request, response) };
  readonly #context: SignInContext;
  readonly #userInfo: UserInfoOptions;
  readonly #provide: (request: IncomingMessage, response: ServerResponse) => Promise<void>;

  constructor(context: SignInContext, userInfo: UserInfoOptions) {
    this.#context = context;
    this.#userInfo = userInfo;
    this.#provide = context.provider.callback();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { log, origins } = this.#context;
    try {
      setSafetyHeaders(response, origins);
      origins.settle(request);
      await this.#route(request, response);
    } catch (error) {
      if (request.destroyed && !request.complete) return log.debug({ err: error }, 'sign-in: request broken off');
      logFailure(log, error, { method: request.method }, 'sign-in: request failed');
      if (response.headersSent) return void response.destroy();
      if (!isDatabaseOutage(error)) return replyPage(response, 500, messagePage(BROKEN));
      response.setHeader('retry-after', '2');
      replyPage(response, 503, messagePage(AWAY));
    }
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://slipway.invalid');
    const { pathname } = url;
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (isRead && pathname.startsWith(ASSETS) && replyAsset(pathname.slice(ASSETS.length), request, response)) return;
    if (isRead && [MOUNT_PATH, `${MOUNT_PATH}/`].includes(pathname)) return redirect(response, '/');
    const uid = LOGIN.exec(pathname)?.[1];
    if (uid !== undefined) return this.#page(request, response, url, uid);
    if (pathname === USER_INFO && (isRead || request.method === 'POST')) return answerUserInfo(this.#userInfo, request, response);
    if (!pathname.startsWith(`${MOUNT_PATH}/`)) return replyNotFound(response);
    return this.#toProvider(request, response);
  }

  async #page(request: IncomingMessage, response: ServerResponse, url: URL, uid: string): Promise<void> {
    const isForm = request.method === 'POST';
    if (!isForm && request.method !== 'GET' && request.method !== 'HEAD') {
      return void response.writeHead(405, { allow: 'GET, HEAD, POST', 'content-length': 0 }).end();
    }
    if (isForm && !this.#context.origins.isOwn(request.headers.origin)) return replyWrongOrigin(response);
    const form = isForm ? await readForm(request) : undefined;
    if (isForm && !form) return replyPage(response, 400, messagePage({ ...BROKEN, title: 'This form could not be read' }));
    const exchange: Exchange = { request, response, url, form };
    return answerSignIn(this.#context, exchange, uid);
  }

  /** Strips the mount path, which oidc-provider derives by comparing the two URLs. */
  async #toProvider(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '' } = request;
    await this.#provide(Object.assign(request, { originalUrl: url, url: url.slice(MOUNT_PATH.length) }), response);
  }
}
