import { allProjections } from '@florin/read-models';
import { runProjectorThread } from '@florin/runtime';

void runProjectorThread(allProjections);
