/** Texts for error codes: a per-call override first, then the catalog, then the raw code (specification §8). */
import { fill, labelled, messageOf, type FieldError } from '@slipway/contract/kernel/errors.ts';
import type { Can } from '@slipway/contract/kernel/fields.ts';

/** Code → template for one call, when the catalog's text is too general. */
export type MessageOverrides = Readonly<Record<string, string>>;
type Context = Readonly<Record<string, string>>;

export const messageFor = (code: string, context: Context = {}, overrides: MessageOverrides = {}): string => {
  const override = overrides[code];
  return (override === undefined ? messageOf(code, context) : fill(override, context)) || code;
};

/** Returns the message with the form's label, which replaces the label that the server derived from the field's name. */
export const fieldMessage = (error: FieldError, label: string | undefined, overrides?: MessageOverrides): string =>
  messageFor(error.code, label === undefined ? error.context : labelled(error.context, label), overrides);

/**
 * Returns why a control is disabled, or undefined if it is enabled. `can` comes with the resource. A verb that the server does not
 * list is allowed here; the server still checks it.
 */
export const reasonOf = (can: Can | undefined, verb: string, context: Context = {}): string | undefined => {
  const right = can?.[verb];
  return right === undefined || right === true ? undefined : messageFor(right, context);
};

/** Returns the control's props: `{...disabledUnless(app.can, 'delete', { team })}`. */
export const disabledUnless = (...right: Parameters<typeof reasonOf>): { disabledReason: string | undefined } => ({
  disabledReason: reasonOf(...right),
});
