/** Deletes the resource of a page, or discards one that was never created. Both send the same request and lead back to the list. */
import type { Call, RouteShape } from '@slipway/contract/kernel/kernel.ts';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useNavigate } from 'react-router';
import { useWrite } from '#kit/api/write.ts';
import type { ConfirmedAction } from './confirm-action.ts';

export interface RemovalOptions<R extends RouteShape> extends Pick<ConfirmedAction, 'description' | 'consequences' | 'confirmWord'> {
  route: R;
  input: Call<R>;
  /** The name that users see. */
  title: string;
  /** Path of the page to go to. */
  home: string;
  /** Says what becomes available after discarding: "The name becomes free again." */
  freed?: string;
}

export const useRemoval = <R extends RouteShape>(options: RemovalOptions<R>): Record<'remove' | 'discard', ConfirmedAction> => {
  const { route, input, title, home, freed, ...words } = options;
  const write = useWrite(route);
  const navigate = useNavigate();
  const run = (done: string) => async (): Promise<void> => {
    await write.send(input);
    toast.success(`${title} is being ${done}`);
    await navigate(home);
  };
  return {
    remove: { ...words, title: `Delete ${title}?`, confirmLabel: `Delete ${title}`, busyLabel: 'Deleting', run: run('deleted') },
    discard: {
      title: `Discard ${title}?`,
      description: ["It was never created, so nothing is lost but the form's values.", freed].filter(Boolean).join(' '),
      confirmLabel: `Discard ${title}`,
      busyLabel: 'Discarding',
      run: run('discarded'),
    },
  };
};
