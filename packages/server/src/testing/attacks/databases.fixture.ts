/** A service whose program signs in to PostgreSQL as it is asked to, by SCRAM, and says how that ended, or what
 * the statement that it was given answers. No package is needed for so little. */
import type { SourceFile } from '#ports/builder.ts';
import { program } from '../programs.ts';

const MAIN = `import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import http from 'node:http';
import net from 'node:net';
const hmac = (key, text) => createHmac('sha256', key).update(text).digest();
const number = (value) => { const bytes = Buffer.alloc(4); bytes.writeInt32BE(value); return bytes; };
const message = (type, body) => Buffer.concat([Buffer.from(type), number(body.length + 4), body]);
const proofOf = (password, bare, first) => {
  const { r, s, i } = Object.fromEntries(first.split(',').map((part) => [part[0], part.slice(2)]));
  const salted = pbkdf2Sync(password, Buffer.from(s, 'base64'), Number(i), 32, 'sha256');
  const client = hmac(salted, 'Client Key');
  const signature = hmac(createHash('sha256').update(client).digest(), bare + ',' + first + ',c=biws,r=' + r);
  return 'c=biws,r=' + r + ',p=' + Buffer.from(client.map((byte, index) => byte ^ signature[index])).toString('base64');
};
const attempt = ({ DB_HOST, DB_PORT, DB_USER, DB_PASSWORD, DB_NAME, SQL }) => new Promise((done) => {
  const bare = 'n=,r=' + randomBytes(18).toString('base64').replaceAll(',', 'x');
  const socket = net.connect({ host: DB_HOST, port: Number(DB_PORT) }, () => {
    const text = Buffer.from(['user', DB_USER, 'database', DB_NAME, '', ''].join('\\0'));
    socket.write(Buffer.concat([number(text.length + 8), number(196608), text]));
  });
  const end = (result) => { done(result); socket.destroy(); };
  let bytes = Buffer.alloc(0);
  let rows;
  const answer = (type, body) => {
    if (type === 'E') return end(/\\0C([0-9A-Z]{5})\\0/.exec('\\0' + body.toString())?.[1] ?? 'an error');
    if (type === 'Z' && (!SQL || rows)) return end(rows ? rows.join(';') : 'in');
    if (type === 'Z') { rows = []; return socket.write(message('Q', Buffer.from(SQL + '\\0'))); }
    if (type === 'D') return rows.push(body.subarray(6, 6 + body.readInt32BE(2)).toString());
    if (type !== 'R') return;
    const step = body.readInt32BE(0);
    const initial = Buffer.from('n,,' + bare);
    if (step === 10) socket.write(message('p', Buffer.concat([Buffer.from('SCRAM-SHA-256\\0'), number(initial.length), initial])));
    if (step === 11) socket.write(message('p', Buffer.from(proofOf(DB_PASSWORD, bare, body.subarray(4).toString()))));
  };
  socket.setTimeout(10000, () => end('late'));
  socket.on('error', (error) => end(error.code));
  socket.on('close', () => done('closed'));
  socket.on('data', (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    while (bytes.length >= 5 && bytes.length > bytes.readInt32BE(1)) {
      const length = bytes.readInt32BE(1);
      const [type, body] = [String.fromCharCode(bytes[0]), bytes.subarray(5, length + 1)];
      bytes = bytes.subarray(length + 1);
      answer(type, body);
    }
  });
});
http.createServer(async (request, response) => {
  if (request.url === '/env') return response.end(JSON.stringify(process.env));
  if (!request.url.startsWith('/try-')) return response.end('ok');
  response.end(await attempt(JSON.parse(Buffer.from(request.url.slice(5), 'base64url'))));
}).listen(Number(process.env.PORT));
`;

export const databaseProber = (): readonly SourceFile[] => program(MAIN);
