// Headers that every answer of the registry carries, and replies with bytes, JSON or no body.
import type { ServerResponse } from 'node:http';
import type { RegistryError } from './registry-error.ts';

type Headers = Readonly<Record<string, string | number>>;

/** Stops browsers from running or sniffing uploaded content, which the registry serves from the platform's own origin. */
export function setSafetyHeaders(response: ServerResponse): void {
  response.setHeader('Docker-Distribution-Api-Version', 'registry/2.0');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Content-Security-Policy', "sandbox; default-src 'none'");
}

export function replyBytes(response: ServerResponse, status: number, body: Uint8Array, headers: Headers): void {
  response.writeHead(status, { ...headers, 'Content-Length': body.length });
  response.end(body);
}

export function replyJson(response: ServerResponse, status: number, body: unknown, headers: Headers = {}): void {
  replyBytes(response, status, Buffer.from(JSON.stringify(body)), { 'Content-Type': 'application/json', ...headers });
}

export function replyEmpty(response: ServerResponse, status: number, headers: Headers): void {
  // 204 has no Content-Length (RFC 9110 §8.6).
  response.writeHead(status, status === 204 ? headers : { ...headers, 'Content-Length': 0 });
  response.end();
}

export function replyError(response: ServerResponse, error: RegistryError): void {
  const { code, message, detail } = error;
  replyJson(response, error.status, { errors: [{ code, message, ...(detail && { detail }) }] }, error.headers);
}
