/** The two ways to create a topic, on separate pages: with schema and account, or alone. */
import { SegmentedLinks } from '@slipway/ui/form/Segmented.tsx';
import { paths } from '#entities/paths.ts';
import type { EventsPlace } from '#features/streaming/use-place.ts';

const gets = {
  stream: 'A topic with its schema and an account that may use it, created in one step.',
  topic: 'Only the topic, with a schema that you have.',
};

export function StreamWays({ place, current }: { place: EventsPlace; current: keyof typeof gets }) {
  return (
    <div className="stack stack-8">
      <div className="row">
        <SegmentedLinks
          label="What to make"
          items={[
            { label: 'Stream', href: paths.newStream(place), isCurrent: current === 'stream' },
            { label: 'Topic alone', href: paths.newTopic(place), isCurrent: current === 'topic' },
          ]}
        />
      </div>
      <p className="quiet dense">{gets[current]}</p>
    </div>
  );
}
