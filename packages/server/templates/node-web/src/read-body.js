// Reads a request's body without hanging up on the sender when it is too large, so that the refusal still arrives.

/** The body as a Buffer, or undefined when it is larger than `limitBytes`: the rest is read and thrown away. */
export const readBody = (request, limitBytes) =>
  new Promise((resolve, reject) => {
    const chunks = [];
    let bytes = 0;
    request.on('data', (chunk) => {
      bytes += chunk.length;
      if (bytes <= limitBytes) chunks.push(chunk);
      else resolve(undefined);
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('close', () => reject(new Error('the sender broke off')));
    request.on('error', reject);
  });
