/** The two ways to create a topic, on separate pages: with schema and account, or alone. */
import { paths, type AppRef } from '#entities/paths.ts';
import { Ways } from '#kit/form/Ways.tsx';

export const StreamWays = ({ place, current }: { place: AppRef; current: 'stream' | 'topic' }) => (
  <Ways
    label="What to create"
    ways={[
      {
        label: 'Stream',
        href: paths.newStream(place),
        isCurrent: current === 'stream',
        text: 'A topic with its schema and an account that may use it, created in one step.',
      },
      {
        label: 'Topic only',
        href: paths.newTopic(place),
        isCurrent: current === 'topic',
        text: 'Only the topic, with a schema that you have.',
      },
    ]}
  />
);
