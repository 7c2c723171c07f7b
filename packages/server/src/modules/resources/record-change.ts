/** Records a write: an activity entry, and a change hint for browsers that show the entity. */
import type { Transaction } from 'kysely';
import type { RouteShape } from '@slipway/contract/kernel/kernel.ts';
import type { SomeResource } from '@slipway/contract/resource.ts';
import { subjectOf, type Kind, type Subject } from '@slipway/contract/kernel/subject.ts';
import type { Db } from '#db/database.ts';
import type { DB } from '#db/types.ts';
import { notifyChange } from '#kernel/changes.ts';
import type { Caller } from '#kernel/http/handle.ts';
import { recordWrite } from '#modules/activity/index.ts';
import type { Names, Written } from './entity.ts';

export interface Change extends Written {
  readonly caller: Caller;
  readonly names: Names;
  readonly team: string | undefined;
  /** Display title. */
  readonly title: string;
  readonly pipelineId?: string | undefined;
}

/**
 * Returns the subject of an activity entry. An entity without its own name is logged under its parent. Undefined if there is no parent
 * either.
 */
export const subjectIn = (kind: Kind, names: Names, team: string | undefined): Subject | undefined => {
  if (kind.names.length > 0) return subjectOf(kind, Object.fromEntries(kind.address.map((name) => [name, names[name] ?? ''])), { team });
  for (let above = kind.under; above; above = above.under) if (above.names.length > 0) return subjectOf(above, names, { team });
  return undefined;
};

/** Notifies browsers that show the entity. */
export const notifyOf = async (db: Db, { kind, address, shownBy }: Kind, names: Names, team?: string): Promise<void> => {
  if (shownBy.length === 0) return;
  const own = Object.fromEntries(address.map((name) => [name, names[name] ?? '']));
  await notifyChange(db, { ...(team === undefined ? {} : { team }), ...own, kind });
};

const verbs: Readonly<Partial<Record<RouteShape['method'], readonly [string, string]>>> = {
  POST: ['created', 'Created'],
  PUT: ['changed', 'Updated'],
  DELETE: ['deleted', 'Deleted'],
};

/** Call it in the transaction of the write. */
export const recordChange = async (
  trx: Db | Transaction<DB>,
  { shape: { kind } }: Pick<SomeResource, 'shape'>,
  { id, method }: RouteShape,
  { caller, names, team, title, reason, message, pipelineId, before, after }: Change,
): Promise<void> => {
  const [verb = '', usual = ''] = verbs[method] ?? [];
  await recordWrite(trx, caller, {
    type: id,
    reason: reason ?? usual,
    message: message ?? `${caller.displayName} ${verb} the ${kind.label.toLowerCase()} ${title}`,
    subject: subjectIn(kind, names, team),
    pipelineId,
    before,
    after,
  });
  await notifyOf(trx, kind, names, team);
};
