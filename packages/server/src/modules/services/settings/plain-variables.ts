/** Changed variables with a plain value, and those whose value looks like a secret. */
import type { ServiceChange } from '@slipway/contract/pipeline/service-change.ts';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import type { PlanNote } from '@slipway/contract/pipeline/plan.ts';
import { looksLikeSecret } from '@slipway/contract/secret/secret-look.ts';
import { note } from '#modules/pipelines/index.ts';

const envPath = 'spec.template.envVars.';

export interface PlainVariable {
  readonly path: string;
  readonly name: string;
  readonly value: string;
}
export const plainVariables = (changes: readonly ServiceChange[]): PlainVariable[] =>
  changes.flatMap(({ path, after }) => {
    const value = path.startsWith(envPath) && isRecord(after) ? after['value'] : undefined;
    return typeof value === 'string' ? [{ path, name: path.slice(envPath.length), value }] : [];
  });

export const secretNotes = (changes: readonly ServiceChange[]): PlanNote[] =>
  plainVariables(changes).flatMap(({ path, name, value }) => {
    const look = looksLikeSecret(name, value);
    return look ? [note('LooksLikeSecret', { name, kind: look.kind }, path)] : [];
  });
