/** Reads one secret of the cluster in which this server runs, with the account of its pod. */
import { readFile } from 'node:fs/promises';
import https from 'node:https';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import { errorMessage } from '#kernel/caught.ts';

/** Kubernetes mounts the account of a pod here. */
const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const TIMEOUT_MS = 10_000;

/** A secret, or what is wrong with its reference. */
export type Resolved = { readonly text: string } | { readonly wrong: string };
const NAME = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;

export async function readClusterSecret(reference: unknown, { account = ACCOUNT, env = process.env } = {}): Promise<Resolved> {
  const { name, key, namespace: given } = isRecord(reference) ? reference : {};
  if (typeof name !== 'string' || !NAME.test(name) || typeof key !== 'string' || !/^[\w.-]+$/.test(key))
    return { wrong: 'must be like { kubernetesSecret: { name: slipway, key: password } }' };
  const [host, port] = [env['KUBERNETES_SERVICE_HOST'], env['KUBERNETES_SERVICE_PORT'] ?? '443'];
  const [token, ca, own] = await Promise.all(
    ['token', 'ca.crt', 'namespace'].map((file) => readFile(`${account}/${file}`, 'utf8').catch(() => undefined)),
  );
  if (host === undefined || token === undefined || ca === undefined)
    return { wrong: 'refers to a Kubernetes secret, and this server does not run in a pod. Mount the secret and refer to its file' };
  const namespace = typeof given === 'string' && NAME.test(given) ? given : (own ?? 'default');
  const where = `the secret ${namespace}/${name}`;
  const options = {
    host,
    port,
    ca,
    path: `/api/v1/namespaces/${namespace}/secrets/${name}`,
    headers: { authorization: `Bearer ${token.trim()}`, accept: 'application/json' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  };
  try {
    const { status, body } = await get(options);
    if (status === 404) return { wrong: `refers to ${where}, which does not exist` };
    if (status === 403)
      return { wrong: `refers to ${where}, which the pod's account may not read. Give it a Role with get on this one secret` };
    if (status !== 200) return { wrong: `refers to ${where}: the API server answers ${status}` };
    const data = isRecord(body) ? body['data'] : undefined;
    const value = isRecord(data) ? data[key] : undefined;
    if (typeof value !== 'string') return { wrong: `refers to ${where}, which has no key ${key}` };
    return {
      text: Buffer.from(value, 'base64')
        .toString()
        .replace(/\r?\n$/, ''),
      source: `Kubernetes secret ${namespace}/${name}`,
    };
  } catch (error) {
    return { wrong: `refers to ${where}: ${errorMessage(error)}` };
  }
}

const get = (options: https.RequestOptions): Promise<{ readonly status: number; readonly body: unknown }> =>
  new Promise((resolve, reject) => {
    const asking = https.get(options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.once('error', reject);
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, body: parsed(Buffer.concat(chunks).toString()) }));
    });
    asking.once('error', reject);
  });
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
