/** Starts the product on an empty data directory for the whole run, and keeps the link that signs demo people in. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ingressPort, kafkaPort, port } from './ports.ts';

const root = resolve(import.meta.dirname, '..');

const serve = async (): Promise<() => Promise<void>> => {
  const data = mkdtempSync(join(tmpdir(), 'slipway-e2e-'));
  const token = randomBytes(24).toString('hex');
  process.env['SLIPWAY_E2E_TOKEN'] = token;
  process.env['SLIPWAY_E2E_DATA'] = data;
  const env = {
    ...process.env,
    PORT: String(port),
    SLIPWAY_INGRESS_PORT: String(ingressPort),
    SLIPWAY_KAFKA_PORT_DEVELOPMENT: String(kafkaPort),
    SLIPWAY_KAFKA_PORT_PRODUCTION: String(kafkaPort + 1),
    SLIPWAY_DATA: data,
    SLIPWAY_ADMIN_TOKEN: token,
  };
  const node = join(root, 'node_modules/.bin/node');
  const command = [join(import.meta.dirname, 'kept.ts'), data, node, 'packages/server/src/start.ts'];
  // Apart from the terminal: Ctrl-C ends the journeys first, and they end the server.
  const child = spawn(node, command, { cwd: root, env, stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  let output = '';
  const link = await new Promise<string>((ready, failed) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const found = /demo person: (\S+)/.exec(output)?.[1];
      if (found) ready(found);
    });
    child.once('exit', (code) => failed(new Error(`The server ended with ${code}: ${output}`)));
  });
  process.env['SLIPWAY_DEMO_LINK'] = link;
  return async () => {
    const ended = new Promise((done) => child.once('exit', done));
    child.stdin.end();
    await ended;
  };
};

export default serve;
