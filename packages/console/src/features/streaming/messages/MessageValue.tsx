/** A decoded value with masked fields hatched. Masks show the classification, never the length. */
import type { MessagePart } from '@slipway/contract/streaming/message.ts';
import { classificationLabels, type DataClassification } from '@slipway/contract/streaming/streaming.ts';
import { Lock } from 'lucide-react';
import type { ReactNode } from 'react';
import css from './MessageValue.module.css';

export function Masked({ classification }: { classification: DataClassification | undefined }) {
  return (
    <span className={css.masked}>
      <Lock aria-hidden="true" />
      {classification === undefined ? 'masked' : classificationLabels[classification].toLowerCase()}
    </span>
  );
}

interface NodeProps {
  value: unknown;
  path: string;
  depth: number;
  masks: ReadonlyMap<string, DataClassification>;
}

/** Normalizes both path notations, so that they find the same mask. */
const normal = (path: string): string => `/${path.replace(/^[/.]/, '').replaceAll('.', '/')}`;

export function MessageValue({ part }: { part: Pick<MessagePart, 'value' | 'masked'> }) {
  const masks = new Map(part.masked.map(({ path, classification }) => [normal(path), classification]));
  return (
    // Lines scroll horizontally in narrow windows, so the element must be focusable by keyboard.
    <pre className={css.value} tabIndex={0} aria-label="Value, decoded">
      <Node value={part.value} path="" depth={0} masks={masks} />
    </pre>
  );
}

function Node({ value, path, depth, masks }: NodeProps): ReactNode {
  const classification = masks.get(path);
  if (classification !== undefined) return <Masked classification={classification} />;
  if (Array.isArray(value))
    return (
      <Many
        open="["
        close="]"
        depth={depth}
        items={value.map((inner, index) => ({ key: String(index), name: undefined, inner }))}
        path={path}
        masks={masks}
      />
    );
  if (typeof value === 'object' && value !== null) {
    const items = Object.entries(value).map(([name, inner]: [string, unknown]) => ({ key: name, name, inner }));
    return <Many open="{" close="}" depth={depth} items={items} path={path} masks={masks} />;
  }
  return typeof value === 'string' ? <span className={css.text}>{JSON.stringify(value)}</span> : String(JSON.stringify(value) ?? 'null');
}

interface ManyProps extends Omit<NodeProps, 'value'> {
  open: string;
  close: string;
  items: { key: string; name: string | undefined; inner: unknown }[];
}

function Many({ open, close, items, path, depth, masks }: ManyProps) {
  if (items.length === 0) return `${open}${close}`;
  const indent = '  '.repeat(depth + 1);
  return (
    <>
      {open}
      {items.map(({ key, name, inner }, index) => (
        <span key={key}>
          {`\n${indent}`}
          {name !== undefined && (
            <>
              <span className={css.name}>{JSON.stringify(name)}</span>:{' '}
            </>
          )}
          <Node value={inner} path={`${path}/${key}`} depth={depth + 1} masks={masks} />
          {index < items.length - 1 && ','}
        </span>
      ))}
      {`\n${'  '.repeat(depth)}${close}`}
    </>
  );
}
