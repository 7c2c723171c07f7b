/** Confirms a write in a toast with a link to the pipeline that it started. */
import { toast } from '@slipway/ui/overlay/toast.ts';
import { pipelinePath } from '#entities/paths.ts';

export const toastRun = (text: string, run: Parameters<typeof pipelinePath>[0]): void => {
  toast.success(text, { href: pipelinePath(run), linkLabel: 'View pipeline' });
};
