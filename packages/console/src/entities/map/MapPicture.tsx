/** The picture of a map: links on a grid, with lines below them. The arrow keys move along lines and within a column. */
import type { MapNode, ResourceMap } from '@slipway/contract/map.ts';
import { StatusIcon } from '@slipway/ui/feedback/StatusIcon.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { VisuallyHidden } from '@slipway/ui/layout/VisuallyHidden.tsx';
import { useMemo, useState, type KeyboardEvent } from 'react';
import { boxHeight, boxWidth, layoutMap, type Box, type MapLayout } from './map-layout.ts';
import { hrefOf, kindWords, lookOf, nameOf, needsLook } from './map-words.ts';
import css from './MapPicture.module.css';

export interface MapPictureProps {
  map: ResourceMap;
  /** Undefined for the map of a team. */
  app: string | undefined;
  team: string | undefined;
  env: string;
  /** URL of the table, which shows folded nodes. */
  tableHref: string;
}

/** Nodes of other teams show the team, nodes of other apps the app. */
const secondLine = (node: MapNode, { app, team }: Pick<MapPictureProps, 'app' | 'team'>): string => {
  const word = lookOf(node)?.word;
  const owner = node.team !== null && node.team.id !== team ? node.team.displayName : undefined;
  const of = node.kind !== 'app' && app !== undefined && node.app !== null && node.app !== app ? node.app : owner;
  return [word, of].filter((text) => text !== undefined).join(' · ') || kindWords[node.kind];
};

/** Returns the box that an arrow key leads to. */
const nextOf = ({ boxes, lines }: MapLayout, current: string, key: string): string | undefined => {
  const box = boxes.find((one) => one.key === current);
  if (!box) return undefined;
  const column = boxes.filter(({ x }) => x === box.x);
  if (key === 'ArrowDown' || key === 'ArrowUp') return column[column.indexOf(box) + (key === 'ArrowDown' ? 1 : -1)]?.key;
  const sign = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
  const linked = new Set(lines.flatMap(({ from, to }) => (from === current ? [to] : to === current ? [from] : [])));
  return boxes.find((one) => linked.has(one.key) && sign * (one.x - box.x) > 0)?.key;
};

export function MapPicture(props: MapPictureProps) {
  const { map, app, env, tableHref } = props;
  const layout = useMemo(() => layoutMap(map, app), [map, app]);
  const [active, setActive] = useState<string>();
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const from = event.currentTarget.dataset['box'];
    const next = from === undefined ? undefined : nextOf(layout, from, event.key);
    if (next === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    for (const box of event.currentTarget.parentElement?.querySelectorAll<HTMLElement>('[data-box]') ?? [])
      if (box.dataset['box'] === next) box.focus();
  };
  const boxProps = ({ key, x, y }: Box) => ({
    'data-box': key,
    style: { left: x, top: y, width: boxWidth, height: boxHeight },
    onKeyDown,
    onFocus: () => setActive(key),
    onBlur: () => setActive(undefined),
    onMouseEnter: () => setActive(key),
    onMouseLeave: () => setActive(undefined),
  });
  return (
    <div className={css.scroll} role="group" aria-label="Map">
      <div className={css.map} style={{ width: layout.width, height: layout.height }}>
        <svg className={css.lines} width={layout.width} height={layout.height} aria-hidden="true">
          <defs>
            {['plain', 'look', 'active'].map((look) => (
              <marker
                key={look}
                id={`map-${look}`}
                viewBox="0 0 8 8"
                refX="7"
                refY="4"
                markerWidth="8"
                markerHeight="8"
                orient="auto"
                markerUnits="userSpaceOnUse"
              >
                <path d="M0 0 8 4 0 8z" className={css.arrow} data-look={look} />
              </marker>
            ))}
          </defs>
          {layout.lines.map(({ key, edge, from, to, path, needsLook: isUrgent }) => {
            const look = active === from || active === to ? 'active' : isUrgent ? 'look' : 'plain';
            const dash = edge.isRequested ? 'requested' : edge.reason === 'SECRET' ? 'secret' : undefined;
            return <path key={key} d={path} className={css.line} data-look={look} data-dash={dash} markerEnd={`url(#map-${look})`} />;
          })}
        </svg>
        {layout.heads.map(({ key, text, x, y }) => (
          <h3 key={key} className={css.head} style={{ left: x, top: y }}>
            {text}
          </h3>
        ))}
        {layout.boxes.map((box) => {
          const { node } = box;
          if (!node)
            return (
              <Link key={box.key} href={tableHref} className={css.box} {...boxProps(box)}>
                <span className={css.name}>{box.folded} more, none needs a look</span>
                <span className={css.second}>Show the table</span>
              </Link>
            );
          const look = lookOf(node);
          const isOther = node.app !== null && (app === undefined ? node.team?.id !== props.team : node.app !== app);
          const href = hrefOf(node, env);
          const content = (
            <>
              <span className={css.name}>
                {look && <StatusIcon tone={look.tone} />}
                <span className={css.text}>{nameOf(node)}</span>
                <VisuallyHidden>{`, ${kindWords[node.kind]}, `}</VisuallyHidden>
              </span>
              <span className={css.second}>{secondLine(node, props)}</span>
            </>
          );
          const attributes = {
            className: css.box,
            'data-tone': needsLook(node) ? look?.tone : undefined,
            'data-other': isOther || undefined,
          };
          return href === undefined ? (
            <span key={box.key} {...attributes} {...boxProps(box)}>
              {content}
            </span>
          ) : (
            <Link key={box.key} href={href} {...attributes} {...boxProps(box)}>
              {content}
            </Link>
          );
        })}
      </div>
    </div>
  );
}
