/** Sends a test message, in development. The server validates it against the topic's schemas and marks it with a header. */
import { topicMessageProduce } from '@slipway/contract/streaming/message.ts';
import { schemaView, type Schema } from '@slipway/contract/streaming/schema.ts';
import type { Topic } from '@slipway/contract/streaming/topic.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import * as z from 'zod/mini';
import { useQuery } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { CodeField } from '#kit/form/CodeField.tsx';
import { Form } from '#kit/form/Form.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';
import type { TopicPlace } from '#features/streaming/use-place.ts';
import { sampleOf } from './sample-value.ts';

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};
const schema = z.object({
  key: z.string(),
  value: z.string().check(z.refine(isJson, { error: 'ContentNotJson' })),
});
/** Parses the key as JSON if possible, otherwise uses it as text: 8841 becomes a number. */
const keyOf = (text: string): unknown => (isJson(text) ? JSON.parse(text) : text);

/** Text that `keyOf` parses back to the same key. */
const keyText = (key: unknown): string => (typeof key === 'string' ? key : JSON.stringify(key));

/** Undefined until loaded, and if no sample can be created from it. */
const useSchemaOf = (place: TopicPlace, schema: TopicSchema | null): Schema | undefined => {
  const { data } = useQuery(
    schemaView,
    schema !== null && { params: { app: schema.applicationCode, env: place.env, schema: schema.resourceId } },
    { pollMs: 0 },
  );
  return data?.type === 'PROTOBUF' ? undefined : data;
};
type TopicSchema = Topic['spec']['valueSchema'];

export interface ProducePanelProps {
  place: TopicPlace;
  topic: Topic;
  onClose: () => void;
  onProduced: () => void;
}

export function ProducePanel({ place, topic, onClose, onProduced }: ProducePanelProps) {
  const produce = useWrite(topicMessageProduce);
  const { valueSchema, keySchema } = topic.spec;
  const value = useSchemaOf(place, valueSchema);
  const key = useSchemaOf(place, keySchema);
  const form = useApiForm({
    schema,
    defaultValues: { key: '', value: '{}' },
    labels: { key: 'Key', value: 'Value' },
    onSubmit: async ({ key, value }) => {
      const { partition, offset } = await produce.send({
        params: { ...place },
        body: { ...(key === '' ? {} : { key: keyOf(key) }), value: JSON.parse(value) },
      });
      toast.success('Message produced', { detail: `Partition ${partition}, offset ${offset}` });
      onProduced();
    },
  });
  const fill = (): void => {
    if (value) form.setValue('value', JSON.stringify(sampleOf(value.type, value.content), undefined, 2));
    if (key) form.setValue('key', keyText(sampleOf(key.type, key.content)));
  };
  const readers = topic.observed?.readers ?? 0;
  return (
    <Panel aria-labelledby="produce">
      <PanelHead title="Produce a test message" titleId="produce" note="Development only" />
      <PanelBody>
        <Form form={form} hasGuard={false} startsFocused label="Produce a test message" className="stack stack-12">
          <TextField
            form={form}
            name="key"
            isMono
            labelNote={keySchema ? `${keySchema.name} version ${keySchema.revisionId ?? '–'}` : 'optional'}
          />
          <CodeField
            form={form}
            name="value"
            language="json"
            rows={10}
            labelNote={`${valueSchema.name} version ${valueSchema.revisionId ?? '–'}`}
          />
          {(value ?? key) && (
            <div>
              <Button size="sm" variant="quiet" onClick={fill}>
                Fill from the schema
              </Button>
            </div>
          )}
          <Notice>
            {readers === 0
              ? 'Nobody reads it now. '
              : `${count(readers, 'reader')} in development ${readers === 1 ? 'gets' : 'get'} this message. `}
            Its header <code>slipway-test</code> says what it is.
          </Notice>
          <div className="row">
            <Button type="submit" variant="primary" isBusy={form.isBusy} busyLabel="Producing">
              Produce message
            </Button>
            <Button variant="quiet" onClick={onClose}>
              Close
            </Button>
          </div>
        </Form>
      </PanelBody>
    </Panel>
  );
}
