/** Texts for codes: a per-call override first, then the catalogue, then the raw code (specification §8). */
import { fill, messageOf, type FieldError } from '@slipway/contract/kernel/errors.ts';
import type { Can } from '@slipway/contract/kernel/fields.ts';

/** Code → template for one call, where the catalogue's text would be too general. */
export type MessageOverrides = Readonly<Record<string, string>>;
type Context = Readonly<Record<string, string>>;

export const messageFor = (code: string, context: Context = {}, overrides: MessageOverrides = {}): string => {
  const override = overrides[code];
  return (override === undefined ? messageOf(code, context) : fill(override, context)) || code;
};

/** The label that the form shows wins over the one that the server made of the field's name. */
export const fieldMessage = (error: FieldError, label: string | undefined, overrides?: MessageOverrides): string =>
  messageFor(error.code, { ...error.context, ...(label === undefined ? {} : { label }) }, overrides);

/**
 * Why a control is off, or undefined where it is on: `can` travels with the resource. A verb that the server does not name is not
 * forbidden; the server still decides.
 */
export const reasonOf = (can: Can | undefined, verb: string, context: Context = {}): string | undefined => {
  const right = can?.[verb];
  return right === undefined || right === true ? undefined : messageFor(right, context);
};

/** For the control itself: `{...disabledUnless(app.can, 'delete', { team })}`. */
export const disabledUnless = (...right: Parameters<typeof reasonOf>): { disabledReason: string | undefined } => ({
  disabledReason: reasonOf(...right),
});
