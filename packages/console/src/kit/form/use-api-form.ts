/**
 * The base of all forms. Validates with the contract's schema on submit and on every change after that, focuses the first error, and
 * assigns the server's field errors to the fields. Other errors go to the page's error banner.
 */
import { fieldErrors } from '@slipway/contract/kernel/issues.ts';
import { toNestErrors } from '@hookform/resolvers';
import { useId, useState } from 'react';
import {
  useForm,
  useFormState,
  type Control,
  type DefaultValues,
  type FieldErrors,
  type FieldPath,
  type FieldValues,
  type Resolver,
} from 'react-hook-form';
import * as z from 'zod/mini';
import { ResponseError } from '#kit/api/errors.ts';
import { clearError, reportError } from '#kit/error/global-error.ts';
import { fieldMessage, type MessageOverrides } from '#kit/error/messages.ts';
import { createStore, type Store } from '#kit/state/store.ts';

export interface ApiFormOptions<Values extends FieldValues, Output> {
  schema: z.ZodMiniType<Output, Values>;
  defaultValues: Values;
  /** The fields of this form and their labels. Errors of other fields are shown for the whole page. */
  labels: Readonly<Partial<Record<FieldPath<Values>, string>>>;
  /** Fields that the server calls by another name: `{ produceTopics: 'topic' }`. */
  serverFields?: Readonly<Record<string, FieldPath<Values>>>;
  /** List fields whose rows show their own errors, for example at `produceTopics.0`. */
  rows?: readonly FieldPath<Values>[];
  /** Texts by code that are more specific than the catalog's. */
  messages?: MessageOverrides;
  /** Sends the values. Errors that it throws are assigned to the fields or shown on the page. */
  onSubmit: (values: Output) => Promise<void> | void;
}

export interface ApiForm<Values extends FieldValues> {
  id: string;
  control: Control<Values>;
  labels: Readonly<Record<string, string | undefined>>;
  /** Handler for `<form onSubmit>`. */
  submit: (event?: { preventDefault?: () => void }) => Promise<void>;
  setValue: <Name extends FieldPath<Values>>(name: Name, value: Values[Name]) => void;
  /** Resets to these values, or to the initial ones. */
  reset: (values?: Values) => void;
  isBusy: boolean;
  isDirty: boolean;
  /** Error that belongs to no field, for forms in dialogs, which show it themselves. */
  failure: Store<unknown>;
  /** True for a form in a dialog, which shows its errors itself, because the dialog covers the page. */
  showsErrors: Store<boolean>;
  /** True once a submit runs or has succeeded: leaving then loses nothing. */
  isReleased: () => boolean;
}

type Labels = ApiForm<FieldValues>['labels'];

/** Converts Zod issues to the contract's error codes, so that the browser and the server show the same messages. */
export const schemaResolver =
  <Values extends FieldValues, Output>(
    schema: z.ZodMiniType<Output, Values>,
    labels: Labels,
    messages?: MessageOverrides,
  ): Resolver<Values> =>
  (values, _context, options) => {
    const result = z.safeParse(schema, values, { reportInput: true });
    // The form keeps the typed values; submit parses them again.
    if (result.success) return { values, errors: {} };
    const errors: Record<string, { type: string; message: string }> = {};
    for (const error of fieldErrors(result.error)) {
      const field = error.field ?? 'root';
      errors[field] ??= { type: error.code, message: fieldMessage(error, labels[field], messages) };
    }
    return { values: {}, errors: toNestErrors(errors, options) as FieldErrors<Values> };
  };

interface FormFields {
  readonly labels: Labels;
  readonly serverFields?: Readonly<Record<string, string>> | undefined;
  readonly rows?: readonly string[] | undefined;
}
/** Returns where an error of a server field is shown: the field, its parent (for `tags.0`), a row, or nowhere in this form. */
const placeOf = (field: string | undefined, { labels, serverFields = {}, rows = [] }: FormFields): string | undefined => {
  const row = /^(.+)\.\d+(?=\.|$)/.exec(field ?? '');
  if (row?.[1] !== undefined && rows.includes(row[1])) return row[0];
  for (let name = field ?? ''; name !== ''; name = name.slice(0, Math.max(0, name.lastIndexOf('.')))) {
    const own = serverFields[name] ?? name;
    if (labels[own] !== undefined) return own;
  }
  return undefined;
};

export const useApiForm = <Values extends FieldValues, Output>(options: ApiFormOptions<Values, Output>): ApiForm<Values> => {
  const { schema, defaultValues, messages, onSubmit } = options;
  const labels: Labels = options.labels;
  const id = useId();
  const [released] = useState(() => createStore(false));
  const [failure] = useState(() => createStore<unknown>(undefined));
  const [showsErrors] = useState(() => createStore(false));
  const form = useForm<Values>({
    mode: 'onSubmit',
    reValidateMode: 'onChange',
    shouldFocusError: true,
    defaultValues: defaultValues as DefaultValues<Values>,
    resolver: schemaResolver(schema, labels, messages),
  });
  const { isDirty, isSubmitting } = useFormState({ control: form.control });

  const place = (error: unknown): void => {
    const errors = error instanceof ResponseError ? error.errors : [];
    const own = errors.flatMap((item) => {
      const field = placeOf(item.field, options);
      return field === undefined ? [] : [{ item, field }];
    });
    // The first error of a field is the one that says most.
    const firsts = own.filter(({ field }, index) => own.findIndex((other) => other.field === field) === index);
    for (const [index, { item, field }] of firsts.entries()) {
      const message = fieldMessage(item, labels[field] ?? labels[field.replace(/\.\d+$/, '')], messages);
      form.setError(field as FieldPath<Values>, { type: 'server', message }, { shouldFocus: index === 0 });
    }
    // Specification §8: no page error if the first error belongs to a field of this form.
    if (errors[0] !== undefined && errors[0] === own[0]?.item) return;
    if (showsErrors.get()) failure.set(error);
    else reportError(error);
  };

  const submit = form.handleSubmit(async (values) => {
    clearError();
    failure.set(undefined);
    released.set(true);
    try {
      await onSubmit(z.parse(schema, values));
    } catch (error) {
      released.set(false);
      place(error);
    }
  });
  return {
    id,
    control: form.control,
    labels,
    submit: (event) => submit(event as Parameters<typeof submit>[0]),
    reset: (values) => form.reset(values, { keepDefaultValues: values !== undefined }),
    setValue: (name, value) => form.setValue(name, value, { shouldDirty: true, shouldValidate: form.formState.isSubmitted }),
    isBusy: isSubmitting,
    isDirty,
    isReleased: released.get,
    failure,
    showsErrors,
  };
};
