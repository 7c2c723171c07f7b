// Who did something, and when: "Ada, 3 min ago".
import { RelativeTime } from './RelativeTime.tsx';

export const NameAndTime = ({ name, at }: { name: string; at: string }) => (
  <span>
    {name}, <RelativeTime at={at} isShort />
  </span>
);
