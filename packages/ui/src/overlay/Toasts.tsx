// Shows the messages of `toast` at the bottom right: at most three at a time, paused on hover and focus.
import { Toast } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import { useEffect, type ReactNode } from 'react';
import { Button } from '../form/Button.tsx';
import { useCopy } from '../text/Copy.tsx';
import copyCss from '../text/Copy.module.css';
import { Link } from '../layout/Link.tsx';
import { StatusIcon } from '../feedback/StatusIcon.tsx';
import { attachToasts, type ToastData } from './toast.ts';
import css from './Toasts.module.css';

function CopyDetails({ text }: { text: string }) {
  const { outcome, copy } = useCopy();
  const words = { idle: 'Copy details', copied: 'Copied', failed: 'Could not copy' }[outcome];
  return (
    <Button size="sm" onClick={() => void copy(text)}>
      {words}
    </Button>
  );
}

function ToastCard({ item }: { item: Toast.Root.ToastObject<ToastData> }) {
  const data = item.data;
  const isFailure = data?.kind === 'failure';
  const copyText = data?.copyText ?? (data?.traceId && `Trace Id: ${data.traceId}`);
  return (
    // Base UI hides failures and their close button from assistive technology until they get focus, although both are reachable.
    <Toast.Root toast={item} className={css.toast} swipeDirection="right" aria-hidden={false}>
      <Toast.Content className={css.content}>
        <StatusIcon tone={isFailure ? 'bad' : 'ok'} className={css.mark} />
        <div className={css.words}>
          <Toast.Title className={css.title}>
            {item.title}
            {data !== undefined && data.count > 1 && <span className={css.count}> {data.count}×</span>}
          </Toast.Title>
          {item.description !== undefined && <Toast.Description className={css.detail}>{item.description}</Toast.Description>}
          {data?.traceId !== undefined && <div className={css.trace}>Trace Id: {data.traceId}</div>}
          {isFailure && copyText && (
            <div className={css.actions}>
              <CopyDetails text={copyText} />
            </div>
          )}
        </div>
        {data?.href !== undefined && <Link href={data.href}>{data.linkLabel ?? 'View'}</Link>}
        <Toast.Close className={copyCss.copy} aria-label="Close message" aria-hidden={false}>
          <X aria-hidden="true" />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  );
}

function Cards() {
  const { toasts } = Toast.useToastManager<ToastData>();
  return toasts.map((item) => <ToastCard key={item.id} item={item} />);
}

const toastManager = Toast.createToastManager<ToastData>();

/** Rendered once per app; loaded with the first message. */
export default function Toasts(): ReactNode {
  // Runs after the provider below has subscribed.
  useEffect(() => attachToasts(toastManager), []);
  return (
    <Toast.Provider toastManager={toastManager} limit={3}>
      <Toast.Portal>
        <Toast.Viewport className={css.viewport} aria-label="Messages">
          <Cards />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}
