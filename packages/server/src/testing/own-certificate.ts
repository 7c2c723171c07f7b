/** A certificate for this machine that nobody trusts, made by OpenSSL. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const ownCertificate = async (): Promise<{ readonly key: string; readonly cert: string }> => {
  const directory = await mkdtemp(join(tmpdir(), 'slipway-certificate-'));
  const [keyFile, certificateFile] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  const subject = '-subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1';
  const made = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 ${subject}`;
  try {
    await promisify(execFile)('openssl', [...made.split(' '), '-keyout', keyFile, '-out', certificateFile]);
    return { key: await readFile(keyFile, 'utf8'), cert: await readFile(certificateFile, 'utf8') };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
};
