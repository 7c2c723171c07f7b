// Reads a submitted form.
import type { IncomingMessage } from 'node:http';

const MAX_BYTES = 16 * 1024;
const TIMEOUT_MS = 10_000;

/** Returns undefined if the body is no form or too large. Rejects if the client disconnects or stalls. */
export const readForm = async (request: IncomingMessage): Promise<URLSearchParams | undefined> => {
  const timer = setTimeout(() => request.destroy(new Error('the form did not arrive in time')), TIMEOUT_MS);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // Reads to the end even if the form is too long. Otherwise the client would not see the response.
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
