/** Notices about limits that the database will soon reach, each with the step that helps. */
import { storageReserveBytes } from '@slipway/contract/database/database-plan.ts';
import type { Database } from '@slipway/contract/database/database.ts';
import type { DatabaseFigures } from '@slipway/contract/database/figures.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { bytes } from '@slipway/ui/format/bytes.ts';
import { paths } from '#entities/paths.ts';
import { dayLabel, fullOn, fullShare, gigabyte, nextStorage, percentLabel, storageLabel } from '#features/databases/database-labels.ts';
import type { DatabasePlace } from '#features/databases/database-place.ts';

interface FullNoticesProps {
  place: DatabasePlace;
  database: Database;
  figures: DatabaseFigures | undefined;
}

interface FullConnectionsProps {
  place: DatabasePlace;
  database: Database;
  open: number;
}

/** Links to the settings, where the user confirms the larger storage. */
function Grow({ place, storageGb }: { place: DatabasePlace; storageGb: number }) {
  const next = nextStorage(storageGb);
  if (next === undefined) return null;
  return (
    <LinkButton size="sm" href={`${paths.database(place, 'settings')}?storage=${next}`}>
      Grow to {storageLabel(next)}
    </LinkButton>
  );
}

export function FullNotices({ place, database, figures }: FullNoticesProps) {
  const { storageGb, status } = database;
  const storageBytes = storageGb * gigabyte;
  const { sizeBytes, connections, isReadOnly, isClosed } = status;
  const growth = figures?.growthBytesPerDay ?? 0;
  const full =
    sizeBytes === null ? undefined : fullOn({ sizeBytes, storageBytes, growthBytesPerDay: growth }, new Date(status.observedAt ?? 0));
  return (
    <>
      {isClosed && sizeBytes !== null && (
        <Notice tone="bad" isLive actions={<Grow place={place} storageGb={storageGb} />}>
          <strong>Connections are refused.</strong> The database holds {bytes(sizeBytes)}, more than its {storageLabel(storageGb)} and the
          reserve of {bytes(storageReserveBytes(storageGb))}. Let it grow: it opens by itself once it is within its storage. Data and
          backups are kept.
        </Notice>
      )}
      {isReadOnly && !isClosed && sizeBytes !== null && (
        <Notice tone="bad" isLive actions={<Grow place={place} storageGb={storageGb} />}>
          <strong>Writes are refused.</strong> The database holds {bytes(sizeBytes)} of {storageLabel(storageGb)}. Delete data in a
          transaction that begins with <code>begin read write</code>, or let it grow. Beyond {bytes(storageReserveBytes(storageGb))} more,
          connections are refused.
        </Notice>
      )}
      {!isReadOnly && sizeBytes !== null && sizeBytes >= storageBytes * fullShare && (
        <Notice tone="warn" isLive actions={<Grow place={place} storageGb={storageGb} />}>
          <strong>
            {percentLabel(sizeBytes / storageBytes)} of {storageLabel(storageGb)} is used
          </strong>
          {full && `, and full about ${dayLabel(full)} at this pace`}. Beyond it writes are refused.
        </Notice>
      )}
      {connections !== null && <FullConnections place={place} database={database} open={connections} />}
    </>
  );
}

/** Services and the read-only login have a limit each, so one of them can be full while the other is not. */
function FullConnections({ place, database: { reader, maxConnections, status }, open }: FullConnectionsProps) {
  const read = status.connectionsBy.reduce((sum, { count, isReader }) => sum + (isReader ? count : 0), 0);
  const share = reader?.maxConnections ?? 0;
  const limits = [
    { open: open - read, limit: maxConnections - share, of: reader ? ' of services' : '' },
    ...(reader ? [{ open: read, limit: share, of: ' of the read-only login' }] : []),
  ];
  return limits
    .filter((one) => one.open >= one.limit * fullShare)
    .map((one) => (
      <Notice
        key={one.of}
        tone="warn"
        isLive
        actions={
          <LinkButton size="sm" href={paths.database(place, 'settings')}>
            Change the limit
          </LinkButton>
        }
      >
        <strong>
          {one.open} of {one.limit} connections{one.of} are open.
        </strong>{' '}
        The next ones are refused. A smaller pool in each service often helps more than a higher limit.
      </Notice>
    ));
}
