import { createMemoryInbox } from '../../../providers/memory/notice-inbox.ts';
import { noticeInboxContract } from '../notice-inbox.contract.ts';

const inbox = createMemoryInbox();
noticeInboxContract(() => inbox);
