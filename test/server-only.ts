// Outside Next the marker package throws; here it is nothing.
export {}
