/** A subject as answers show it and as queries ask for it. */
import * as z from 'zod/mini';
import { isSubject, nameOf, subjectKey, subjectOfKey } from './kinds.ts';
import type { Subject } from './subject.ts';

export const SubjectView = z.object({
  /** What sort of thing: `service`, `secretGroup`. */
  kind: z.string(),
  name: z.string(),
  /** For the query `subject`: `service:berth/development/berth-api`. */
  key: z.string(),
  /** Its whole address, name by name. */
  names: z.record(z.string(), z.string()),
});
export type SubjectView = z.infer<typeof SubjectView>;

/** Rows may be about a kind that another version of the platform knows: it has no key here. */
export const subjectView = ({ kind, names }: Pick<Subject, 'kind' | 'names'>): SubjectView => ({
  kind,
  name: nameOf({ kind, names }),
  key: isSubject({ kind, names }) ? subjectKey({ kind, names }) : '',
  names: { ...names },
});

/** As `key` above. */
export const SubjectKey = z.string().check(z.refine((key) => subjectOfKey(key) !== undefined, { error: 'InvalidValue' }));
