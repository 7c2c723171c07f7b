/** Converts Zod's issues to the error object's list, so that browser and server validation look the same. */
import type * as z from 'zod/mini';
import { isErrorCode, type FieldError } from './errors.ts';

type Issue = z.core.$ZodIssue;

const numberCode = (issue: Issue): string | undefined => {
  if (issue.code === 'too_small' && issue.origin !== 'string') return issue.origin === 'array' ? 'Required' : 'Minimum';
  if (issue.code === 'too_big' && issue.origin !== 'string') return 'Maximum';
  if (issue.code === 'invalid_type' && issue.expected === 'int') return 'NotAnInteger';
  if (issue.code === 'invalid_type' && issue.expected === 'number') return 'NotANumber';
  return undefined;
};

/** A schema's own error code means a wrong type, but Zod also applies it to checks without a code of their own. */
const inherited = (issue: Issue): string | undefined => {
  if (issue.message === 'NotANumber' && issue.code !== 'invalid_type') return numberCode(issue);
  return issue.message === 'Required' && issue.code === 'too_big' ? 'ExceedsMaximumLength' : undefined;
};

/** True for an omitted value and for an emptied field of a form, whatever type or choice is expected. */
const isMissing = (issue: Issue): boolean =>
  (issue.input === undefined || issue.input === null) && (issue.code === 'invalid_type' || issue.code === 'invalid_value');

const codeOf = (issue: Issue): string => {
  if (isMissing(issue)) return 'Required';
  const meant = inherited(issue);
  if (meant) return meant;
  if (isErrorCode(issue.message)) return issue.message;
  const code = numberCode(issue);
  if (code) return code;
  return 'InvalidValue';
};

/** True for fields that may hold a secret, also one pasted into the wrong field. The error must not repeat the value. */
const isPrivate = (issue: Issue): boolean =>
  issue.path.at(-1) === 'value' || issue.message === 'InvalidSecretKey' || issue.path[0] === 'entries';

const contextOf = (issue: Issue): Record<string, string> => ({
  ...('minimum' in issue ? { min: String(issue.minimum) } : {}),
  ...('maximum' in issue ? { max: String(issue.maximum) } : {}),
  ...(typeof issue.input === 'string' && issue.input.length <= 60 && !isPrivate(issue) ? { value: issue.input } : {}),
});

/** `spec.resources.cpuMillicores` → `Spec resources cpu millicores`: the label if no form supplies a better one. */
export const labelOf = (field: string): string => {
  const words = field
    .replace(/\.\d+/g, '')
    .replace(/[._-]+/g, ' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

export const fieldErrors = (error: { readonly issues: readonly Issue[] }): FieldError[] =>
  error.issues.map((issue) => {
    const field = issue.path.map(String).join('.');
    return {
      ...(field ? { field } : {}),
      code: codeOf(issue),
      context: { label: labelOf(field || 'request'), ...(field ? { path: field } : {}), ...contextOf(issue) },
    };
  });
