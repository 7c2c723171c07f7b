/** Makes messages for the receiver of the audit log. Each has a limit, whatever an entry contains. */
import type { Activity } from '@slipway/contract/activity.ts';
import type { AuditMessage } from '#ports/audit-receiver.ts';

const LONGEST_TEXT = 500;

/** Escapes everything but ASCII, so that bytes are characters, and no receiver guesses an encoding. */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Leaves out what may be long, until the entry fits: first the values before and after the change, then the ends of texts and the subject. */
const withinLimit = (entry: Activity, maxBytes: number): string => {
  const whole = asciiJson({ ...entry, isCut: false });
  if (whole.length <= maxBytes) return whole;
  const withoutValues = asciiJson({ ...entry, before: null, after: null, isCut: true });
  if (withoutValues.length <= maxBytes) return withoutValues;
  const cut = (text: string): string => text.slice(0, LONGEST_TEXT).toWellFormed();
  const { id, at, type, reason, level, outcome, origin, traceId } = entry;
  const actor = { id: cut(entry.actor.id), displayName: cut(entry.actor.displayName).slice(0, 100).toWellFormed() };
  const named = { team: entry.team, app: entry.app, env: entry.env, pipelineId: entry.pipelineId };
  const short = { id, at, type: cut(type), reason: cut(reason), level, outcome, origin, actor, ...named, traceId };
  return asciiJson({ ...short, message: cut(entry.message), isCut: true });
};

export const auditMessage = (entry: Activity, maxBytes: number): AuditMessage => ({
  at: new Date(entry.at),
  level: entry.level,
  type: entry.type,
  json: withinLimit(entry, maxBytes),
});
