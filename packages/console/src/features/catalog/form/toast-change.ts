import { toast } from '@slipway/ui/overlay/toast.ts';

/** Says what a write did: applied, or waiting for an approval. */
export const toastChange = (name: string, answer: unknown): void => {
  const { requests = [] } = answer as { requests?: { requestId: string }[] };
  if (requests.length === 0) toast.success(`${name} was changed`);
  else toast.success(`${requests.map(({ requestId }) => requestId).join(', ')} ${requests.length === 1 ? 'waits' : 'wait'} for approval`);
};
