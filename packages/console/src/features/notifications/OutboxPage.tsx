/** E-mail that the embedded adapter keeps instead of sending it, for administrators. */
import { mailOutboxList } from '@slipway/contract/notification/notification.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Panel } from '@slipway/ui/layout/Panel.tsx';
import { Table, type Column } from '@slipway/ui/list/Table.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import type { ResponseOf } from '@slipway/contract/kernel/kernel.ts';
import { useState } from 'react';
import { PageError } from '#entities/PageError.tsx';
import { useQuery } from '#kit/api/query.ts';
import { PlainPage } from '#kit/page/PlainPage.tsx';
import css from './NotificationsPage.module.css';

type Mail = ResponseOf<typeof mailOutboxList>['content'][number];
const MOST = 100;

export function Component() {
  const query = useQuery(mailOutboxList, { query: { size: MOST } }, { isAlwaysPolled: true });
  const [open, setOpen] = useState<string>();
  const { data } = query;
  if (query.error && !data) return <PageError what="the mail outbox" query={query} />;
  const columns: Column<Mail>[] = [
    {
      key: 'subject',
      header: 'Subject',
      phone: 'title',
      cell: ({ id, subject }) => (
        <Button variant="quiet" size="sm" aria-expanded={open === id} onClick={() => setOpen(open === id ? undefined : id)}>
          {subject}
        </Button>
      ),
    },
    { key: 'to', header: 'To', phone: 'meta', cell: ({ to }) => to },
    { key: 'at', header: 'Written', phone: 'end', cell: ({ at }) => <RelativeTime at={at} isShort /> },
  ];
  return (
    <PlainPage name="Mail outbox" lede="E-mail of the platform. Without a mail server it is kept here." className="stack">
      {data?.mailer === 'smtp' && <Notice tone="idle">A mail server is configured, so e-mail is sent and not kept here.</Notice>}
      <Panel aria-label="Mail outbox">
        <Table
          label="Mail outbox"
          columns={columns}
          rows={data?.content ?? []}
          rowKey={({ id }) => id}
          detail={({ id, body }) => open === id && <pre className={css.body}>{body}</pre>}
          isLoading={!data}
          empty={
            <EmptyState level={2} kind="first-use" title="No e-mail yet">
              The newest {MOST} messages of 90 days appear here.
            </EmptyState>
          }
        />
      </Panel>
    </PlainPage>
  );
}
