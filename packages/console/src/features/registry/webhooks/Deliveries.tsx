/** The delivery log of a webhook, newest first. The URL holds the open delivery, the filter and the page. */
import {
  webhookDeliveryList,
  webhookEventLabels,
  webhookLogDays,
  type Webhook,
  type WebhookDelivery,
} from '@slipway/contract/registry/webhook.ts';
import { deliveryStates } from '@slipway/contract/kernel/delivery.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Select } from '@slipway/ui/form/Select.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { PanelBody, PanelFoot } from '@slipway/ui/layout/Panel.tsx';
import { Table, type Column } from '@slipway/ui/list/Table.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { useQuery } from '#kit/api/query.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { NoMatch } from '#kit/list/NoMatch.tsx';
import { OpenButton, useOpener, type Opener } from '#kit/list/OpenButton.tsx';
import { useInPageLinks } from '#kit/page/in-page-links.ts';
import { useUrlState } from '#kit/state/url-state.ts';
import type { RegistryPlace } from '#features/registry/use-registry.ts';
import css from './Deliveries.module.css';
import { DeliveryDetails } from './DeliveryDetails.tsx';
import { answerLook, took, triesWord } from './webhook-labels.ts';

const defaults = { state: '', after: '', delivery: '' };
const pageSize = 20;

const stateOptions = [
  { value: 'ALL', label: 'All deliveries' },
  { value: 'FAILED', label: 'Failed' },
  { value: 'PENDING', label: 'On the way' },
  { value: 'DELIVERED', label: 'Delivered' },
];

/** Returns the image reference without the app, which the page already names. */
const imageOf = ({ repository, reference }: WebhookDelivery): string | undefined => {
  if (repository === null) return undefined;
  const name = repository.split('/').slice(1).join('/') || repository;
  if (reference === null) return name;
  return reference.startsWith('sha256:') ? `${name}@${reference.slice(0, 14)}…` : `${name}:${reference}`;
};

const columnsFor = (opener: Opener): Column<WebhookDelivery>[] => [
  {
    key: 'when',
    header: 'When',
    cell: ({ id, createdAt }) => (
      <OpenButton id={id} opener={opener}>
        <RelativeTime at={createdAt} />
        <span className="sr">, delivery {id}</span>
      </OpenButton>
    ),
  },
  { key: 'event', header: 'Event', cell: ({ event }) => webhookEventLabels[event] },
  {
    key: 'image',
    header: 'Image',
    cell: (delivery) => {
      const image = imageOf(delivery);
      if (image !== undefined) return <code className={css.image}>{image}</code>;
      return <span className="meta">{delivery.event === 'TEST' ? `by ${delivery.operator}` : '–'}</span>;
    },
  },
  {
    key: 'answer',
    header: 'Answer',
    cell: (delivery) => {
      const { tone, word } = answerLook(delivery);
      return (
        <Status tone={tone} className={css.answer}>
          {word}
        </Status>
      );
    },
  },
  {
    key: 'took',
    header: 'Took',
    align: 'end',
    cell: ({ durationMs }) => <span className={css.short}>{durationMs === null ? '–' : took(durationMs)}</span>,
  },
  { key: 'tries', header: 'Tries', align: 'end', cell: (delivery) => <span className={css.short}>{triesWord(delivery)}</span> },
];

export function Deliveries({ place, webhook }: { place: RegistryPlace; webhook: Webhook }) {
  const { state, set, hrefOf } = useUrlState(defaults);
  const onClickCapture = useInPageLinks();
  const params = { ...place, webhook: webhook.name };
  const filter = deliveryStates.find((one) => one === state.state);
  const list = useQuery(
    webhookDeliveryList,
    { params, query: { size: pageSize, ...(filter ? { state: filter } : {}), ...(state.after === '' ? {} : { after: state.after }) } },
    { keepPreviousData: true },
  );
  const opener = useOpener('delivery');
  const hasLog = webhook.lastDelivery !== null || (list.data?.content.length ?? 0) > 0;
  return (
    <section aria-label="Deliveries" onClickCapture={onClickCapture}>
      {hasLog && (
        <PanelBody className={css.bar}>
          <h3>Deliveries</h3>
          <span className="meta">
            {webhook.deliveries.delivered.toLocaleString('en')} delivered, {webhook.deliveries.failed.toLocaleString('en')} failed in 7 days
          </span>
          <Select
            className={css.filter}
            aria-label="State"
            options={stateOptions}
            value={filter ?? 'ALL'}
            onChange={(value) => set({ state: value === 'ALL' ? '' : value, after: '', delivery: '' }, { replace: true })}
          />
        </PanelBody>
      )}
      {list.error && !list.data ? (
        <ListError what="deliveries" query={list} />
      ) : (
        <Table
          label={`Deliveries of ${webhook.name}`}
          columns={columnsFor(opener)}
          rows={list.data?.content ?? []}
          rowKey={({ id }) => id}
          isSelected={({ id }) => id === state.delivery}
          detail={({ id }) => id === state.delivery && <DeliveryDetails params={{ ...params, delivery: id }} />}
          density="tall"
          phone="flow"
          isLoading={!list.data}
          loadingRows={5}
          empty={<Nothing isFiltered={filter !== undefined || state.after !== ''} onClear={() => set(defaults)} />}
        />
      )}
      <PanelFoot>
        <span>Deliveries are kept for {webhookLogDays} days.</span>
        <span className="push row row-wide">
          {state.after !== '' && <Link href={hrefOf({ after: '', delivery: '' })}>Newest</Link>}
          {list.data?.next && <Link href={hrefOf({ after: list.data.next, delivery: '' })}>Earlier deliveries</Link>}
        </span>
      </PanelFoot>
    </section>
  );
}

function Nothing({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (isFiltered) return <NoMatch noun="delivery" onClear={onClear} />;
  return (
    <EmptyState kind="first-use" title="Nothing was sent yet" isCompact>
      The first event shows here, with what was sent and what the target answered. A test shows at once.
    </EmptyState>
  );
}
