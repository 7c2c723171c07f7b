/** `slipway backup <file>`: writes a consistent snapshot of the platform into one archive while the platform keeps running. */
import { createReadStream } from 'node:fs';
import path from 'node:path';
import type pg from 'pg';
import { withClient } from '#db/connections.ts';
import { MANIFEST } from '#kernel/archive/archive-parts.ts';
import { ArchiveWriter } from '#kernel/archive/archive-writer.ts';
import { errorMessage } from '#kernel/caught.ts';
import type { Config } from '#kernel/config.ts';
import { DiskFloor } from '#kernel/disk-floor.ts';
import { isNoSpace } from '#kernel/no-space.ts';
import { StartError } from '#kernel/start-error.ts';
import type { Log } from '#ports/log.ts';
import { blobPart, FORMAT, KEYS, PRODUCT, rowsPart, type Manifest } from './archive-format.ts';
import { pinEverything, type Pinned } from './pin.ts';
import type { PinnedFile } from './pinned-files.ts';
import { fullDisk, reachRows } from './reach-rows.ts';
import { newSeal, sealKeys, signParts } from './sealed-keys.ts';

export interface BackUpOptions {
  readonly file: string;
  /** Undefined to leave the keys out of the archive. */
  readonly passphrase: string | undefined;
  readonly config: Pick<Config, 'dataDir' | 'databaseUrl' | 'diskFloorMegabytes'>;
  readonly version: string;
  readonly log: Log;
}

export interface BackUpReport {
  readonly bytes: number;
  readonly tables: number;
  readonly repositories: number;
  readonly blobs: number;
  readonly warnings: readonly string[];
}

export async function backUp(options: BackUpOptions): Promise<BackUpReport> {
  const { file, config, log } = options;
  const startedAtMs = performance.now();
  const floorBytes = config.diskFloorMegabytes === undefined ? undefined : config.diskFloorMegabytes * 1e6;
  // Creating the file comes first, so that an invalid file name fails early.
  const writer = ArchiveWriter.create(file, new DiskFloor({ directory: path.dirname(file), floorBytes }));
  try {
    const reached = await reachRows(config, log);
    try {
      const pinned = await pinEverything(reached.connection, config.dataDir).catch((error: unknown) => {
        throw isNoSpace(error) ? fullDisk(config.dataDir, `the backup needs a little of it (${errorMessage(error)})`) : error;
      });
      try {
        const report = await write(writer, pinned, options);
        await record(reached.connection, report, performance.now() - startedAtMs, log);
        return report;
      } finally {
        await pinned.release();
      }
    } finally {
      await reached.close();
    }
  } catch (error) {
    await writer.abandon();
    if (isNoSpace(error))
      throw new StartError(
        `There is too little space for the backup in ${path.dirname(file)}: nothing was left there. Free some, or choose another disk.`,
        {
          cause: error,
        },
      );
    throw error;
  }
}

/** Tells the operator's page of the backup. The archive is whole without that. */
async function record(connection: pg.ClientConfig, { bytes, warnings }: BackUpReport, tookMs: number, log: Log): Promise<void> {
  try {
    await withClient({ ...connection, application_name: 'slipway backup' }, (client) =>
      client.query(
        `insert into platform_backup (took_ms, bytes, has_warnings) values ($1, $2, $3)
       on conflict (id) do update set finished_at = now(), took_ms = excluded.took_ms, bytes = excluded.bytes, has_warnings = excluded.has_warnings`,
        [Math.round(tookMs), bytes, warnings.length > 0],
      ),
    );
  } catch (error) {
    log.warn({ err: error }, "The backup is whole, but the operator's page does not show it");
  }
}

async function write(writer: ArchiveWriter, pinned: Pinned, { passphrase, version }: BackUpOptions): Promise<BackUpReport> {
  const { snapshot, repositories, blobs, keys, neededKeys, warnings } = pinned;
  const { migrations, tables } = snapshot;
  const manifest: Manifest = {
    product: PRODUCT,
    format: FORMAT,
    version,
    createdAt: new Date().toISOString(),
    migrations,
    tables,
    keys: { kept: passphrase === undefined ? 'apart' : 'sealed', needed: [...neededKeys] },
  };
  await writer.addBytes(MANIFEST, json(manifest));
  for (const table of tables) {
    let number = 0;
    for await (const piece of snapshot.rows(table)) await writer.addBytes(rowsPart(table.name, (number += 1)), piece);
  }
  // The rest does not read the database: end the snapshot, so that PostgreSQL can vacuum old rows.
  await snapshot.close();
  for (const { texts, prefix, objects } of repositories) {
    for (const [name, text] of Object.entries(texts)) await writer.addBytes(prefix(name), Buffer.from(text));
    for (const [name, object] of objects) await addFile(writer, prefix(name), object);
  }
  for (const [digest, blob] of blobs) await addFile(writer, blobPart(digest), blob);
  const seal = passphrase === undefined ? undefined : newSeal();
  if (passphrase !== undefined && seal !== undefined) await writer.addBytes(KEYS, await sealKeys({ files: keys, seal }, passphrase));
  const parts = [...writer.parts];
  const bytes = await writer.finish(json({ parts, ...(seal === undefined ? {} : { seal: signParts(parts, seal) }) }));
  const damaged = parts.flatMap(({ name, sha256 }) => (name.startsWith('blobs/sha256/') && !name.endsWith(sha256) ? [name] : []));
  return {
    bytes,
    tables: tables.length,
    repositories: repositories.length,
    blobs: blobs.size,
    warnings: [
      ...warnings,
      ...damaged.map((name) => `The registry's ${name} does not hold the bytes of its digest: push that image again.`),
    ],
  };
}

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const addFile = (writer: ArchiveWriter, name: string, file: PinnedFile): Promise<void> =>
  writer.add(name, file.size, createReadStream(file.path, { highWaterMark: 1 << 20 }));
