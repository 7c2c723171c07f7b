/** A service whose program tries the network on request, as somebody would who has deployed it for that. Answers JSON. */
import type { SourceFile } from '#ports/builder.ts';
import { program } from '../programs.ts';

const MAIN = `import dgram from 'node:dgram';
import dns from 'node:dns/promises';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
const said = (error) => error.cause?.code ?? error.code ?? error.message;
const open = (where) => new Promise((done) => {
  const socket = net.connect(where, () => {
    // Where nobody listens, a connection may meet itself.
    const isOwn = socket.localPort !== undefined && socket.localPort === socket.remotePort;
    socket.destroy();
    done(isOwn ? 'itself' : 'open');
  });
  socket.on('error', (error) => done(said(error)));
});
const scan = async (host) => {
  const found = [];
  for (let from = 1; from <= 65535; from += 500) {
    const ports = Array.from({ length: Math.min(500, 65536 - from) }, (_, index) => from + index);
    const states = await Promise.all(ports.map((port) => open({ host, port })));
    found.push(...ports.filter((_, index) => states[index] === 'open'));
  }
  return found;
};
const proxy = { host: '127.0.0.1', port: 3128 };
/** Says these bytes to the proxy, and answers what comes back until it ends the connection. */
const say = (bytes) => new Promise((done) => {
  let text = '';
  const socket = net.connect(proxy, () => socket.write(bytes));
  socket.on('data', (chunk) => { text += chunk; });
  socket.on('error', (error) => done(text || said(error)));
  socket.on('close', () => done(text));
});
const acts = {
  open: ({ where }) => open(where),
  scan: ({ host }) => scan(host),
  say: ({ bytes }) => say(bytes),
  lookup: ({ name }) => dns.lookup(name).then(({ address }) => address, said),
  resolve: ({ name }) => dns.resolve4(name).then(String, said),
  send: ({ host, port, type }) => new Promise((done) => {
    const socket = dgram.createSocket(type);
    socket.on('error', (error) => { socket.close(); done(said(error)); });
    socket.send('x', port, host, (error) => { socket.close(); done(error ? said(error) : 'sent'); });
  }),
  fetch: ({ url, init }) => fetch(url, init).then(async (answer) => answer.status + ' ' + await answer.text(), (error) => 'failed: ' + error.message),
  ask: ({ port, path, method = 'GET', headers = {} }) => new Promise((done) => {
    const asking = http.request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (answer) => { answer.resume(); done(answer.statusCode); });
    asking.on('error', (error) => done(said(error))).end();
  }),
  interfaces: () => Object.values(os.networkInterfaces()).flat().map(({ address }) => address),
  environment: () => process.env,
};
http.createServer((request, response) => {
  if (!request.url.startsWith('/act-')) return response.end('ok');
  const { act, ...rest } = JSON.parse(Buffer.from(request.url.slice(5), 'base64url'));
  Promise.resolve(acts[act](rest)).then((result) => response.end(JSON.stringify(result)), (error) => response.end(JSON.stringify(said(error))));
}).listen(Number(process.env.PORT));
`;

export const networkProber = (): readonly SourceFile[] => program(MAIN);
