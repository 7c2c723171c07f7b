/** Checks an address that a user names, when it is saved. Each call checks it again. */
import type { Outgoing } from '#kernel/outgoing/outgoing.ts';
import { OutgoingRefused } from '#kernel/outgoing/outgoing-policy.ts';
import { Problem } from '#kernel/problem.ts';

/** Rejects URLs that are invalid or lead to internal addresses. Accepts host names that do not resolve yet. */
export const checkTarget = async (outgoing: Outgoing, text: string, { field, label }: { field: string; label: string }): Promise<void> => {
  if (!URL.canParse(text)) throw new Problem('WebhookTargetInvalid', { field, context: { label } });
  const url = new URL(text);
  try {
    await outgoing.check(url);
  } catch (error) {
    if (!(error instanceof OutgoingRefused)) throw error;
    if (error.reason === 'NAME_NOT_FOUND') return;
    throw new Problem('WebhookTargetInside', { field, context: { host: url.hostname }, cause: error });
  }
};
