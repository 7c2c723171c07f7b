/** Checks this machine: its data directory, disk, ports and sandbox. Makes no directory: a doctor leaves nothing behind. */
import { constants, existsSync, statSync } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import net from 'node:net';
import { dirname } from 'node:path';
import { detectSandbox } from '@slipway/runtime/sandbox/detect-sandbox.ts';
import { requireGit } from '@slipway/git/git-program.ts';
import { errorCode, errorMessage } from '#kernel/caught.ts';
import type { Config } from '#kernel/config.ts';
import { usualFloorBytes } from '#kernel/disk-floor.ts';
import { weaknessOf } from '../choose-sandbox.ts';
import type { Check, ChecksOf, Findings } from './check.ts';

const ANSWER_MS = 5000;
const GIGABYTE = 1e9;
const gigabytes = (bytes: number): string => `${(bytes / GIGABYTE).toFixed(1)} GB`;

const dataDirectory = (config: Config): Check => ({
  subject: 'data directory',
  run: async (findings) => {
    const { dataDir } = config;
    let existing = dataDir;
    while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
    if (!statSync(existing).isDirectory())
      return findings.failed(`${existing} is a file.`, 'Set SLIPWAY_DATA to a directory, or move the file away.');
    try {
      await access(existing, constants.R_OK | constants.W_OK | constants.X_OK);
    } catch {
      return findings.failed(
        `This user (${process.getuid?.() ?? 'unknown'}) may not write to ${existing}.`,
        'Give the directory to the user that Slipway runs as, and run the doctor as that user.',
      );
    }
    findings.ok(existing === dataDir ? `${dataDir} can be written.` : `${dataDir} does not exist yet, and can be made.`);
    await diskSpace(existing, config, findings);
  },
});

const diskSpace = async (directory: string, { diskFloorMegabytes }: Config, findings: Findings): Promise<void> => {
  const { bavail, blocks, bsize } = await statfs(directory);
  const [free, floor] = [bavail * bsize, diskFloorMegabytes === undefined ? usualFloorBytes(blocks * bsize) : diskFloorMegabytes * 1e6];
  const said = `${gigabytes(free)} of its disk are free, of which Slipway keeps ${gigabytes(floor)} free.`;
  if (free > 2 * floor + GIGABYTE) findings.ok(said);
  else if (free > floor) findings.warning(said, 'Make room soon: below that, Slipway refuses pushes, builds and new images.');
  else findings.failed(said, 'Make room, or set SLIPWAY_DISK_FLOOR_MB to less: Slipway refuses pushes, builds and new images now.');
};

/** Undefined if the port is free. */
const occupied = (port: number, host: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', (error) => resolve(errorCode(error) ?? errorMessage(error)));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });

const isSlipway = async (config: Config): Promise<boolean> =>
  (await fetch(`${config.internalUrl}/healthz`, { signal: AbortSignal.timeout(ANSWER_MS) }).catch(() => undefined))?.ok === true;

const ports = (config: Config): Check => ({
  subject: 'ports',
  run: async (findings) => {
    const wanted: readonly (readonly [variable: string, port: number])[] = [
      ['PORT', config.port],
      ...(config.roles.has('worker') ? [['SLIPWAY_INGRESS_PORT', config.ingressPort] as const] : []),
      ...(config.roles.has('worker') && config.streaming.kind === 'embedded'
        ? [
            ['SLIPWAY_KAFKA_PORT_DEVELOPMENT', config.streaming.ports.development] as const,
            ['SLIPWAY_KAFKA_PORT_PRODUCTION', config.streaming.ports.production] as const,
          ]
        : []),
    ];
    const isRunning = await isSlipway(config);
    for (const [variable, port] of wanted) {
      const reason = await occupied(port, config.host);
      if (reason === undefined) findings.ok(`Port ${port} (${variable}) is free.`);
      else if (reason === 'EADDRINUSE' && isRunning)
        findings.ok(`Port ${port} (${variable}) is in use. Slipway runs at ${config.internalUrl}.`);
      else if (reason === 'EADDRINUSE')
        findings.failed(`Port ${port} (${variable}) is in use by another program.`, `End that program, or set ${variable} to a free port.`);
      else if (reason === 'EACCES')
        findings.failed(
          `This user may not listen on port ${port} (${variable}).`,
          `Ports below 1024 are for root. Set ${variable} to a higher one.`,
        );
      else if (reason === 'EADDRNOTAVAIL')
        return findings.failed(`${config.host} is no address of this machine.`, 'Set HOST to an address of this machine, or to 0.0.0.0.');
      else findings.failed(`Port ${port} (${variable}) cannot be used: ${reason}.`, `Set ${variable} to another port.`);
    }
  },
});

const sandbox = (config: Config): Check => ({
  subject: 'sandbox',
  run: async (findings) => {
    const found = await detectSandbox();
    const weakness = weaknessOf(found);
    const use = config.runtime.kind === 'embedded' ? 'Services and builds run' : 'Builds run';
    const said = `${use} in the sandbox ${found.tier}; limits are ${found.limits}.`;
    if (weakness === undefined) return findings.ok(said);
    if (config.mode !== 'production')
      return findings.warning(`${said} ${weakness}`, 'Good enough for your own machine. Production needs root and bubblewrap or crun.');
    if (config.runtime.kind === 'kubernetes' && found.tier !== 'host') return findings.ok(said);
    if (config.runtime.kind === 'kubernetes')
      return findings.warning(`${said} Builds that need npm are refused.`, 'Install bubblewrap or crun, or push images from your own CI.');
    if (config.allowances.hostRuntime)
      return findings.warning(
        `${said} ${weakness}`,
        'SLIPWAY_ALLOW_HOST_RUNTIME=yes allows it. Run as root with bubblewrap or crun instead.',
      );
    findings.failed(weakness, 'Run as root and install bubblewrap or crun, or set SLIPWAY_ALLOW_HOST_RUNTIME=yes to allow it.');
  },
});

const git: Check = {
  subject: 'git',
  run: async (findings) => {
    await requireGit().then(
      () => findings.ok('git is installed and recent enough.'),
      (error: unknown) => findings.failed(errorMessage(error), 'Install git with the package manager of this machine.'),
    );
  },
};

export const machineChecks: ChecksOf = (config) => [
  dataDirectory(config),
  ports(config),
  git,
  ...(config.roles.has('worker') ? [sandbox(config)] : []),
];
