/** Pushes an existing image to another repository of its app, as `docker login`, `docker tag` and `docker push` do. */
import { randomUUID } from 'node:crypto';
import { robotAccountCreate } from '@slipway/contract/registry/robot-account.ts';
import { callApi, origin } from './api.ts';

interface Descriptor {
  readonly digest: string;
}
interface Manifest {
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}
interface Pushed {
  readonly app: string;
  /** Repositories below the app: the names of services. */
  readonly from: string;
  readonly to: string;
  readonly tag: string;
}

/** A token for both repositories, with a robot account of its own. */
const signIn = async ({ app, from, to }: Pushed): Promise<Record<string, string>> => {
  const body = { name: `e2e-${randomUUID().slice(0, 8)}`, permissions: ['pull', 'push'] };
  const robot = await callApi<{ username: string; secret: string }>(robotAccountCreate, { params: { app, env: 'development' }, body });
  const scope = `repository:${app}/${from}:pull repository:${app}/${to}:pull,push`;
  const basic = Buffer.from(`${robot.username}:${robot.secret}`).toString('base64');
  const answer = await fetch(`${origin}/v2/token?scope=${encodeURIComponent(scope)}`, { headers: { authorization: `Basic ${basic}` } });
  const { token } = (await answer.json()) as { token: string };
  return { authorization: `Bearer ${token}` };
};

/** Throws with the registry's answer when it refuses. */
export const pushImage = async (pushed: Pushed): Promise<void> => {
  const { app, from, to, tag } = pushed;
  const headers = await signIn(pushed);
  const send = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const answer = await fetch(`${origin}/v2/${app}/${path}`, { ...init, headers: { ...headers, ...init.headers } });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return answer;
  };
  const { tags } = (await (await send(`${from}/tags/list`)).json()) as { tags: string[] };
  const read = await send(`${from}/manifests/${tags[0]}`, { headers: { accept: 'application/vnd.oci.image.manifest.v1+json' } });
  const text = await read.text();
  const { config, layers } = JSON.parse(text) as Manifest;
  for (const { digest } of [config, ...layers]) await send(`${to}/blobs/uploads/?mount=${digest}&from=${app}/${from}`, { method: 'POST' });
  const type = read.headers.get('content-type') ?? '';
  await send(`${to}/manifests/${tag}`, { method: 'PUT', headers: { 'content-type': type }, body: text });
};
