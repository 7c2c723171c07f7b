// Reads a form that a browser sent.
import type { IncomingMessage } from 'node:http';

const MAX_BYTES = 16 * 1024;
const TIMEOUT_MS = 10_000;

/** Undefined for anything that is no small form. Rejects when the client breaks off or stops sending. */
export const readForm = async (request: IncomingMessage): Promise<URLSearchParams | undefined> => {
  const timer = setTimeout(() => request.destroy(new Error('the form did not arrive in time')), TIMEOUT_MS);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // Read to the end even if it is too long, or the client would not see the answer.
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size <= MAX_BYTES) chunks.push(chunk);
    }
  } finally {
    clearTimeout(timer);
  }
  const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i.test(request.headers['content-type'] ?? '');
  return isForm && size <= MAX_BYTES ? new URLSearchParams(Buffer.concat(chunks).toString()) : undefined;
};
