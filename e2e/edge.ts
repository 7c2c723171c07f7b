/** Asks a service through the edge. Node does not resolve *.localhost, so the name goes into the Host header. */
import http from 'node:http';

export const askService = (url: string, headers: Record<string, string> = {}): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const { host, port, pathname, search } = new URL(url);
    http
      .get({ host: '127.0.0.1', port, path: `${pathname}${search}`, headers: { ...headers, host, connection: 'close' } }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => (text += part));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
      })
      .on('error', reject);
  });
