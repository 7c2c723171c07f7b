/** Log of deliveries to a team's channels, newest first, with the answer of what failed. */
import { notificationDeliveryList } from '@slipway/contract/notification/notification.ts';
import { StatusIcon } from '@slipway/ui/feedback/StatusIcon.tsx';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Panel, PanelFoot, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { useState } from 'react';
import { useQuery } from '#kit/api/query.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { deliveryNote, deliveryTone } from './channel-labels.ts';
import css from './DeliveryLog.module.css';

const FEW = 6;
const MOST = 100;

export function DeliveryLog({ team }: { team: string }) {
  const [isLong, setLong] = useState(false);
  const log = useQuery(notificationDeliveryList, { params: { team }, query: { size: isLong ? MOST : FEW } }, { keepPreviousData: true });
  const deliveries = log.data?.content ?? [];
  return (
    <Panel aria-labelledby="log">
      <PanelHead title="Delivery log" titleId="log" />
      {log.error && !log.data ? (
        <ListError what="deliveries" query={log} />
      ) : log.data && deliveries.length === 0 ? (
        <EmptyState level={2} kind="first-use" title="Nothing sent yet">
          Deliveries of 90 days appear here.
        </EmptyState>
      ) : (
        <ul className={css.list}>
          {deliveries.map((delivery) => (
            <li key={delivery.id} className={css.item}>
              <StatusIcon tone={deliveryTone(delivery)} className={css.mark} />
              <span>
                {delivery.channel.name}: {delivery.title}
              </span>
              <span className={css.note}>{deliveryNote(delivery)}</span>
              {delivery.state !== 'DELIVERED' && delivery.answer && <span className={css.note}>“{delivery.answer}”</span>}
            </li>
          ))}
        </ul>
      )}
      {!isLong && log.data?.next && (
        <PanelFoot>
          <Button size="sm" variant="quiet" onClick={() => setLong(true)}>
            Show more
          </Button>
        </PanelFoot>
      )}
    </Panel>
  );
}
