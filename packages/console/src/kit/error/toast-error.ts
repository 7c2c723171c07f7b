/** Reports a failed action in a toast, for actions without a form or dialog of their own. */
import { toast } from '@slipway/ui/overlay/toast.ts';
import { describeError } from './describe-error.ts';

/** `title` says what failed: "The backup cannot be checked now". */
export const toastError = (title: string, error: unknown): void => {
  const { heading, items, traceId } = describeError(error);
  toast.failure(title, {
    detail: items[0] ?? heading,
    ...(traceId ? { traceId } : {}),
    copyText: `${title} ${heading} ${traceId ?? ''}`.trim(),
  });
};
