/** Returns the commits pushed between two revisions, for the card of a failing revision. */
import type { RevisionSourceChanges } from '@slipway/contract/service/diagnosis.ts';
import type { Db } from '#db/database.ts';
import type { SourceHost } from '#ports/source.ts';
import { requireRevision } from '../service-context.ts';
import type { ServiceKey } from '../services.sql.ts';

type Row = Awaited<ReturnType<typeof requireRevision>>['row'];

/** Returns the pushed commit, or the short commit at the end of a built image's tag. */
const commitOf = ({ reason, image_tag: tag }: Row): string | undefined => reason.commit ?? /-([0-9a-f]{7})$/.exec(tag)?.[1];

/** Null if the service has no repository, or the repository does not have both commits. */
export const sourceChangesOf = async (
  { db, source }: { readonly db: Db; readonly source: SourceHost },
  key: ServiceKey,
  name: string,
  since: string,
): Promise<RevisionSourceChanges | null> => {
  const { service, row } = await requireRevision(db, key, name);
  const before = commitOf((await requireRevision(db, key, since)).row);
  const commit = commitOf(row);
  if (service.repository_name === null || commit === undefined || before === undefined) return null;
  const changes = await source.changes({ owner: key.app, name: service.repository_name }, before, commit);
  if (!changes) return null;
  const { commits, commitCount, files, patch, isCut } = changes;
  return {
    commits: commits.map(({ sha, message, author, at }) => ({ sha, message: message.split('\n')[0] ?? '', author, at: at.toISOString() })),
    commitCount,
    files: [...files],
    patch,
    isCut,
  };
};
