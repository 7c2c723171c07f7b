/** Short labels for a verdict. */
import { schemaTypeLabels, type SchemaType } from '@slipway/contract/streaming/schema.ts';
import type { SchemaVerdict } from '@slipway/contract/streaming/schema-verdict.ts';
import { count } from '@slipway/ui/format/count.ts';
import type { Tone } from '@slipway/ui/tone.ts';

export const verdictLook = (verdict: SchemaVerdict, type: SchemaType): { tone: Tone; title: string } => {
  const { state, problems, issues, revisionId, fields, reason, isSame } = verdict;
  if (state === 'INVALID') return { tone: 'bad', title: count(problems.length, 'problem') };
  if (state === 'INCOMPATIBLE') return { tone: 'bad', title: count(issues.length, 'breaking change') };
  if (isSame) return { tone: 'idle', title: `The same as version ${revisionId ?? '–'}` };
  if (state === 'COMPATIBLE') return { tone: 'ok', title: `Compatible with version ${revisionId ?? '–'}` };
  if (reason === 'FIRST_VERSION')
    return { tone: 'ok', title: `Valid ${schemaTypeLabels[type]}${fields === null ? '' : `, ${count(fields, 'field')}`}` };
  return { tone: 'idle', title: 'Not checked' };
};
