// Short messages at the edge of the screen, to be called from anywhere. Successes leave after five seconds; failures stay until closed.
import { Toast } from '@base-ui/react/toast';

export interface ToastDetails {
  /** A second line. */
  detail?: string;
  /** Where to look, with the words of the link. */
  href?: string;
  linkLabel?: string;
  /** Of a failure: what "Copy details" copies, and the id that support asks for. */
  copyText?: string;
  traceId?: string;
}

export interface ToastData extends ToastDetails {
  kind: 'success' | 'failure';
  /** How often the same message came while it was on screen. */
  count: number;
}

export const toastManager = Toast.createToastManager<ToastData>();
const counts = new Map<string, number>();

function show(kind: ToastData['kind'], title: string, details: ToastDetails): string {
  const id = `${kind}:${title}:${details.detail ?? ''}`;
  const count = (counts.get(id) ?? 0) + 1;
  counts.set(id, count);
  return toastManager.add({
    id,
    title,
    description: details.detail,
    type: kind,
    timeout: kind === 'failure' ? 0 : 5000,
    priority: kind === 'failure' ? 'high' : 'low',
    data: { ...details, kind, count },
    onClose: () => counts.delete(id),
    onRemove: () => counts.delete(id),
  });
}

/** The same message again does not pile up: it counts. Returns the id for `close`. */
export const toast = {
  success: (title: string, details: ToastDetails = {}): string => show('success', title, details),
  failure: (title: string, details: ToastDetails = {}): string => show('failure', title, details),
  close: (id: string): void => toastManager.close(id),
};
