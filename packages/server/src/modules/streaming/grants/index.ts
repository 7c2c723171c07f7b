/** What the rest of streaming may know of grants. */
export { addGrant, namedTopics, type Asker, type TopicLists, type WantedTopic } from './wanted-grants.ts';
export { accountsOfGroups, usersOfTopics, type UserOfTopic } from './topic-users.ts';
