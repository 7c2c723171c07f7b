/** A subject as it appears in answers and queries. */
import * as z from 'zod/mini';
import { isSubject, nameOf, subjectKey, subjectOfKey } from './kinds.ts';
import type { Subject } from './kernel/subject.ts';

export const SubjectView = z.object({
  /** The kind's word: `service`, `secretGroup`. */
  kind: z.string(),
  name: z.string(),
  /** Value for the `subject` query parameter: `service:berth/development/berth-api`. */
  key: z.string(),
  /** The full address, by parameter name. */
  names: z.record(z.string(), z.string()),
});
export type SubjectView = z.infer<typeof SubjectView>;

/** Stored rows may have a kind from another version of the platform; such a subject gets no key. */
export const subjectView = ({ kind, names }: Pick<Subject, 'kind' | 'names'>): SubjectView => ({
  kind,
  name: nameOf({ kind, names }),
  key: isSubject({ kind, names }) ? subjectKey({ kind, names }) : '',
  names: { ...names },
});

/** Same format as `key` above. */
export const SubjectKey = z.string().check(z.refine((key) => subjectOfKey(key) !== undefined, { error: 'InvalidValue' }));
