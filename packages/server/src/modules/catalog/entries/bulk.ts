/** Changes owners and labels of many entries. Each entry has its own rules and its own transaction. */
import { catalogBulkChange } from '@slipway/contract/catalog/application.ts';
import type { BodyOf, ResponseOf } from '@slipway/contract/kernel/kernel.ts';
import { transaction } from '#db/database.ts';
import { Problem } from '#kernel/problem.ts';
import { resolvePeople } from '../directory/people.ts';
import type { CatalogDeps } from './entry-change.ts';
import { requireLabels } from './entry-fields.ts';
import { specOf } from './entry-kinds.ts';
import type { Viewer } from './entry-rights.ts';
import { lockEntry, type EntryRow } from './entry-row.ts';
import { updateIn } from './entry-writes.ts';

type Wanted = BodyOf<typeof catalogBulkChange>;
type Answer = ResponseOf<typeof catalogBulkChange>[number];

/** Thrown to roll back a preview. */
class PreviewEnded extends Error {
  readonly answer: Answer;
  constructor(answer: Answer) {
    super('Nothing was done: this was a preview');
    this.answer = answer;
  }
}

const without = (ids: readonly string[], removed: readonly string[]): string[] => ids.filter((id) => !removed.includes(id));

const changeOne = (
  deps: CatalogDeps,
  viewer: Viewer,
  { wanted, kind, id }: { readonly wanted: Wanted; readonly kind: EntryRow['kind']; readonly id: string },
  isPreview: boolean,
): Promise<Answer> =>
  transaction(deps.db, async (trx) => {
    const spec = specOf(kind);
    const row = await lockEntry(trx, viewer, kind, id);
    const { addOwners, removeOwners, addLabels, removeLabels, requestComment } = wanted;
    const body = {
      ...(addOwners.length + removeOwners.length > 0 && { owners: [...new Set([...without(row.owners, removeOwners), ...addOwners])] }),
      ...(addLabels.length + removeLabels.length > 0 && { labels: [...new Set([...without(row.labels, removeLabels), ...addLabels])] }),
      requestComment,
    };
    if ((body.owners?.length ?? 1) > 10) throw new Problem('Maximum', { field: 'owners', context: { max: '10' } });
    const route = { id: catalogBulkChange.id };
    const { requests } = await updateIn(trx, deps, viewer, { spec, id, route }, body, { source: row.source });
    const outcome = requests.length > 0 ? 'REQUESTED' : 'DONE';
    const answer: Answer = {
      kind,
      id: row.id,
      name: row.name,
      outcome,
      requestId: isPreview ? null : (requests[0]?.requestId ?? null),
      code: null,
    };
    if (isPreview) throw new PreviewEnded(answer);
    return answer;
  });

/** A preview does the same work and rolls it back, so it cannot promise something else. */
export const bulkChange = async (deps: CatalogDeps, viewer: Viewer, wanted: Wanted, isPreview: boolean): Promise<Answer[]> => {
  const people = { ...wanted, addOwners: await resolvePeople(deps.db, wanted.addOwners, { field: 'addOwners' }) };
  await requireLabels(deps.db, wanted.addLabels, [], 'addLabels');
  const answers: Answer[] = [];
  for (const { kind, id } of wanted.entries) {
    const answer = await changeOne(deps, viewer, { wanted: people, kind, id }, isPreview).catch((error: unknown): Answer => {
      if (error instanceof PreviewEnded) return error.answer;
      if (error instanceof Problem && error.status < 500)
        return { kind, id, name: null, outcome: 'LEFT_OUT', requestId: null, code: error.code };
      throw error;
    });
    answers.push(answer);
  }
  return answers;
};
