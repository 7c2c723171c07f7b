// Origins of this server. On a local machine it accepts both localhost and 127.0.0.1. Elsewhere only the public URL counts, and proxy
// headers are not trusted.
import type { IncomingMessage } from 'node:http';

const isLoopback = (hostname: string): boolean => hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);

export class Origins {
  /** All origins, the public URL's first. */
  readonly all: readonly string[];
  readonly isSecure: boolean;
  readonly #public: URL;

  constructor(publicUrl: string) {
    this.#public = new URL(publicUrl);
    const { protocol, hostname, port } = this.#public;
    const aliases = isLoopback(hostname) ? ['localhost', '127.0.0.1', '[::1]'] : [];
    const others = aliases.map((alias) => `${protocol}//${alias}${port === '' ? '' : `:${port}`}`);
    this.all = [...new Set([this.#public.origin, ...others])];
    this.isSecure = protocol === 'https:';
  }

  /**
   * Returns whether the origin is this server's. Forms of our own pages send it; a form that another site submits has that site's origin.
   */
  isOwn(origin: string | undefined): boolean {
    return origin !== undefined && this.all.includes(origin);
  }

  /**
   * Sets the headers from which oidc-provider derives URLs and cookies: the host that the browser uses if it is ours, never a client's
   * forwarded headers.
   */
  settle(request: IncomingMessage): void {
    const { protocol, host } = this.#public;
    const asked = `${protocol}//${request.headers.host}`;
    request.headers['x-forwarded-host'] = this.all.includes(asked) ? new URL(asked).host : host;
    request.headers['x-forwarded-proto'] = protocol.slice(0, -1);
    delete request.headers['x-forwarded-for'];
  }

  /** Values for `form-action`, which browsers also apply to redirects after a form. The directive does not support IPv6 addresses. */
  get formTargets(): string {
    return ["'self'", ...this.all.filter((origin) => !origin.includes('['))].join(' ');
  }
}
