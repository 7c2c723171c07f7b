// Putting verified bytes into the store: row, file and link become visible together, and garbage collection stays out.
import type { PoolClient } from 'pg';
import type { ReceivedFile } from './blob-files.ts';
import { upsertBlob, upsertBlobLink } from './content.sql.ts';
import type { RegistryContext } from '../context.ts';
import { projectOf } from '../grammar.ts';
import { ensureRepository } from '../project.sql.ts';
import { transaction } from '@slipway/postgres/pool-transaction.ts';

/**
 * The row first: its lock excludes the sweep of the same digest until the transaction ends. A file whose transaction
 * fails after the move is an orphan with the right content, which the sweep finds.
 */
export async function keepFile(context: RegistryContext, client: PoolClient, received: ReceivedFile): Promise<void> {
  await upsertBlob(client, received.digest, received.sizeBytes, context.now());
  await context.files.keep(received.file, received.digest);
}

/** `claim` decides inside the same transaction whether this request is the one that may finish. */
export async function keepBlob(
  context: RegistryContext,
  repository: string,
  received: ReceivedFile,
  claim: (client: PoolClient) => Promise<void>,
): Promise<void> {
  await transaction(context.pool, async (client) => {
    await claim(client);
    await ensureRepository(client, projectOf(repository), repository, context.now());
    await keepFile(context, client, received);
    await upsertBlobLink(client, repository, received.digest, context.now());
  });
}
