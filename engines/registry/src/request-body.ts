// Reading what a client sends, without trusting its size or its patience.
import type { IncomingMessage } from 'node:http';
import { RegistryError } from './registry-error.ts';

/**
 * The body as it arrives; an idle client is cut off. When the reader gives up early the connection stays open,
 * so that the answer can still say why.
 */
export async function* streamBody(request: IncomingMessage, idleMs: number): AsyncIterable<Uint8Array> {
  const timer = setTimeout(() => request.destroy(new Error('the client stopped sending')), idleMs);
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
      timer.refresh();
      yield chunk;
    }
  } finally {
    clearTimeout(timer);
  }
}

export async function readBody(request: IncomingMessage, maxBytes: number, idleMs: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of streamBody(request, idleMs)) {
    size += chunk.length;
    if (size > maxBytes) throw new RegistryError(413, 'SIZE_INVALID', `larger than the limit of ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
