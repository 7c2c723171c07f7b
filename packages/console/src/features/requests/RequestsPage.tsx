/** The inbox of the signed-in user: requests of all kinds. */
import { RequestInbox } from '#entities/request/index.ts';
import { PlainPage } from '#kit/page/PlainPage.tsx';

export function Component() {
  return (
    <PlainPage name="Requests" lede="What waits for your decision, what you asked for, and what was decided.">
      <RequestInbox />
    </PlainPage>
  );
}
